import type { JSX, SVGProps } from 'react'

interface IconProps extends SVGProps<SVGSVGElement> {
  readonly size?: number
}

export type Icon = (props: IconProps) => JSX.Element

/** Draws an outline in the color of the text around it. It is hidden from screen readers unless it has a label. */
export function drawIcon(paths: readonly string[]): Icon {
  return ({ size = 24, color = 'currentColor', 'aria-label': label, ...rest }) => (
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
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
      {...rest}
    >
      {paths.map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  )
}
