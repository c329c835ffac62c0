/** Reads an answer that begins with a list named `progress`, which grows while the service works. */
export async function readProgress<T>(
  stream: ReadableStream<Uint8Array>,
  onProgress: (done: number, of: number) => void,
): Promise<T> {
  const reader = stream
    .pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>
  let text = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value
    const last = /\{"done":(\d+),"of":(\d+)\}[\],]*$/.exec(text.slice(-100))
    if (last) onProgress(Number(last[1]), Number(last[2]))
  }
  return JSON.parse(text)
}
