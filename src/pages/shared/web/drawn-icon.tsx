/**
 * Icon with a single stroke, 16 by 16. Hidden from screen readers: a text or the label of its button gives the meaning.
 */
interface DrawnIconProps {
  path: string;
  size?: number;
  strokeWidth?: number;
}

export const DrawnIcon = ({ path, size = 16, strokeWidth = 1.5 }: DrawnIconProps) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    stroke-width={strokeWidth}
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={path} />
  </svg>
);
