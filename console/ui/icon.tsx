import type { JSX, SVGProps } from 'react'

interface IconProps extends SVGProps<SVGSVGElement> {
  readonly size?: number
}

export type Icon = (props: IconProps) => JSX.Element

/** In the color of the text around it, which says what it shows: only one with a label of its own is read aloud. */
export function drawIcon(paths: readonly string[]): Icon {
  return ({ size = 24, color = 'currentColor', ...rest }) => (
    // biome-ignore lint/a11y/noSvgWithoutTitle: hidden where it has no label
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke={color}
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden={rest['aria-label'] === undefined}
      {...rest}
    >
      {paths.map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  )
}
