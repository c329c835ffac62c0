import { Center, Loader } from '@mantine/core'

export function Waiting() {
  return (
    <Center mih="40vh">
      <Loader type="dots" />
    </Center>
  )
}
