/** Pixels of a logo's longer side: sharp on a phone, and only a few kilobytes. */
const side = 192

/** Reads an image as a data: URL. Photos are scaled down first; SVG drawings are small already. */
export async function toLogo(file: File): Promise<string> {
  if (file.type === 'image/svg+xml') return toDataUrl(file)
  const picture = await createImageBitmap(file)
  const scale = Math.min(1, side / Math.max(picture.width, picture.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  canvas.getContext('2d')!.drawImage(picture, 0, 0, canvas.width, canvas.height)
  // A browser that cannot encode WebP returns PNG, which is as good.
  return canvas.toDataURL('image/webp', 0.9)
}

function toDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result as string)
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}
