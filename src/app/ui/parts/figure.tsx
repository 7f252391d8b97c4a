/** A number that changes in its place: a box as wide as its longest text, filled from the left, so that nothing beside it or in it moves. */
import "./figure.css";

interface FigureProps {
  readonly children: string;
  /** Characters of its longest text. */
  readonly width: number;
}

/** As wide as a digit, and not collapsed. */
const FIGURE_SPACE = "\u2007";

export function Figure({ children, width }: FigureProps) {
  return (
    <span className="figure" style={{ width: `${width}ch` }}>
      {children.padStart(width, FIGURE_SPACE)}
    </span>
  );
}
