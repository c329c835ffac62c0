import { drawingSVG, qrcode } from 'bwip-js/browser'
import { useMemo } from 'react'

/** Always black on white; the padding is the quiet zone, which has to be four modules and is five. */
const options = {
  bcid: 'qrcode',
  barcolor: '000000',
  backgroundcolor: 'FFFFFF',
  scale: 4,
  padding: 10,
  eclevel: 'M',
}

interface QrCodeProps {
  readonly text: string
  readonly label: string
}

/** Drawn in the browser: what it holds may be a secret, which no image URL should carry. */
export default function QrCode({ text, label }: QrCodeProps) {
  const svg = useMemo(() => qrcode({ ...options, text }, drawingSVG()), [text])
  return <img className="till-qr" src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={label} />
}
