import { Alert, Modal, Text } from '@mantine/core'
import { BarcodeDetector, prepareZXingModule } from 'barcode-detector/ponyfill'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import wasmUrl from 'zxing-wasm/reader/zxing_reader.wasm?url'
import { useClosedByBack } from '../shell/back.ts'

// By default the scanner library loads its WebAssembly from a CDN; ours is served with the page.
prepareZXingModule({
  overrides: {
    locateFile: (path: string, prefix: string) => (path.endsWith('.wasm') ? wasmUrl : prefix + path),
  },
})

const looksEachMs = 150

interface CameraProps {
  readonly onClose: () => void
  readonly onScan: (code: string) => void
}

/** Why there is no picture, as a translation key. */
type Problem = 'none' | 'refused' | 'busy' | 'insecure' | 'broken'

function problemOf(error: unknown): Problem {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotAllowedError') return 'refused'
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'none'
  if (name === 'NotReadableError') return 'busy'
  return 'broken'
}

export default function Camera({ onClose, onScan }: CameraProps) {
  const { t } = useTranslation('till')
  useClosedByBack(onClose)
  const video = useRef<HTMLVideoElement>(null)
  const [problem, setProblem] = useState<Problem>()
  const found = useRef(onScan)
  found.current = onScan

  useEffect(() => {
    let isOver = false
    let stream: MediaStream | undefined
    const watch = async () => {
      // Browsers allow the camera only on pages served over HTTPS or from this computer.
      if (!navigator.mediaDevices) return setProblem('insecure')
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
      const detector = new BarcodeDetector({ formats: ['code_128', 'qr_code', 'ean_13'] })
      while (!isOver && video.current) {
        const { current: picture } = video
        if (picture.srcObject !== stream) {
          picture.srcObject = stream
          await picture.play()
        }
        const [code] = picture.readyState >= 2 ? await detector.detect(picture) : []
        if (code && !isOver) return found.current(code.rawValue)
        await new Promise((resolve) => setTimeout(resolve, looksEachMs))
      }
    }
    watch()
      .catch((error) => {
        if (!isOver) setProblem(problemOf(error))
      })
      .finally(() => {
        if (isOver) for (const track of stream?.getTracks() ?? []) track.stop()
      })
    return () => {
      isOver = true
      for (const track of stream?.getTracks() ?? []) track.stop()
    }
  }, [])

  return (
    <Modal opened onClose={onClose} title={t('camera.title')} size="lg">
      {problem ? (
        <Alert color="yellow" role="alert" title={t(`camera.${problem}`)}>
          {t('camera.instead')}
        </Alert>
      ) : (
        <>
          <video ref={video} muted playsInline className="till-camera" aria-label={t('camera.title')} />
          <Text mt="sm" c="dimmed">
            {t('camera.hint')}
          </Text>
        </>
      )}
    </Modal>
  )
}
