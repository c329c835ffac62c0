/**
 * Writes a picture as a PDF of one page. The browser has drawn it, since it can shape every script and has the
 * fonts; a PDF with texts would need both. Pixels are stored without loss, so that the QR code stays sharp.
 */
export interface PosterPicture {
  readonly title: string
  /** Size of the paper. */
  readonly widthMm: number
  readonly heightMm: number
  /** Size of the picture, which fills the paper. */
  readonly width: number
  readonly height: number
  /** Four bytes for each pixel; the fourth is ignored. */
  readonly rgba: Uint8ClampedArray
}

type Bytes = Uint8Array<ArrayBuffer>

const pointsPerMm = 72 / 25.4

export async function toPdf(picture: PosterPicture): Promise<Blob> {
  const [width, height] = [picture.widthMm, picture.heightMm].map((mm) => (mm * pointsPerMm).toFixed(2))
  const drawing = `q ${width} 0 0 ${height} 0 0 cm /Poster Do Q`
  const pixels = await deflate(rowsOf(picture))
  const imageEntries =
    `/Type /XObject /Subtype /Image /Width ${picture.width} /Height ${picture.height} /ColorSpace /DeviceRGB ` +
    `/BitsPerComponent 8 /Filter /FlateDecode /DecodeParms << /Predictor 15 /Colors 3 /Columns ${picture.width} >>`
  const objects: Bytes[][] = [
    [bytes('<< /Type /Catalog /Pages 2 0 R >>')],
    [bytes('<< /Type /Pages /Kids [3 0 R] /Count 1 >>')],
    [
      bytes(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R ` +
          '/Resources << /XObject << /Poster 5 0 R >> >> >>',
      ),
    ],
    streamOf('', bytes(drawing)),
    streamOf(imageEntries, pixels),
    [bytes(`<< /Title ${textOf(picture.title)} >>`)],
  ]
  return new Blob(fileOf(objects), { type: 'application/pdf' })
}

/** The objects in order, and a table of where each of them begins, which readers start with. */
function fileOf(objects: readonly Bytes[][]): Bytes[] {
  // The bytes beyond ASCII tell programs that the file is not text.
  const parts: Bytes[] = [bytes('%PDF-1.5\n'), Uint8Array.of(0x25, 0xe2, 0xe3, 0xcf, 0xd3, 0x0a)]
  const lengthOf = (all: readonly Bytes[]) => all.reduce((sum, part) => sum + part.length, 0)
  const places = objects.map((object, i) => {
    const at = lengthOf(parts)
    parts.push(bytes(`${i + 1} 0 obj\n`), ...object, bytes('\nendobj\n'))
    return at
  })
  const table = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const count = objects.length + 1
  const trailer = `trailer\n<< /Size ${count} /Root 1 0 R /Info ${objects.length} 0 R >>\n`
  const start = `startxref\n${lengthOf(parts)}\n%%EOF\n`
  parts.push(bytes(`xref\n0 ${count}\n0000000000 65535 f \n${table}${trailer}${start}`))
  return parts
}

const bytes = (text: string) => new TextEncoder().encode(text)

const streamOf = (entries: string, content: Bytes): Bytes[] => [
  bytes(`<< ${entries} /Length ${content.length} >>\nstream\n`),
  content,
  bytes('\nendstream'),
]

/** In UTF-16, which every script can be written in. */
function textOf(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) =>
    text.charCodeAt(i).toString(16).padStart(4, '0'),
  )
  return `<feff${units.join('')}>`
}

/** Row by row, each as the difference to the one above (filter 2 of PNG): most of a poster repeats itself. */
function rowsOf({ width, height, rgba }: PosterPicture): Bytes {
  const rows = new Uint8Array(height * (1 + 3 * width))
  let at = 0
  for (let y = 0; y < height; y++) {
    rows[at++] = 2
    for (let from = y * width * 4, end = from + width * 4; from < end; from += 4) {
      for (let color = 0; color < 3; color++) {
        const above = y === 0 ? 0 : rgba[from - width * 4 + color]!
        rows[at++] = rgba[from + color]! - above
      }
    }
  }
  return rows
}

async function deflate(content: Bytes): Promise<Bytes> {
  const packed = new Blob([content]).stream().pipeThrough(new CompressionStream('deflate'))
  return new Uint8Array(await new Response(packed).arrayBuffer())
}
