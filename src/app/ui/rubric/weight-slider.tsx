/** A weight by slider: the thumb stands at the exact weight, moves go by the scale's steps, one edit a move. */
import { useRef } from "react";
import { keyedWeight, snapped, type WeightScale } from "./weight-scale.ts";

interface SliderProps {
  readonly weight: number;
  readonly scale: WeightScale;
  readonly label: string;
  /** While it moves. */
  readonly onSlide: (weight: number) => void;
  /** When it rests. */
  readonly onRest: (weight: number) => void;
}

export function WeightSlider({ weight, scale, label, onSlide, onRest }: SliderProps) {
  const moved = useRef<number | null>(null);
  const slide = (to: number): void => {
    moved.current = to;
    onSlide(to);
  };
  const rest = (): void => {
    if (moved.current !== null) onRest(moved.current);
    moved.current = null;
  };
  return (
    <input
      type="range"
      className="weight-slider"
      aria-label={label}
      min={0}
      max={scale.most}
      step="any"
      value={Math.min(weight, scale.most)}
      onChange={(event) => {
        slide(snapped(event.target.valueAsNumber, scale));
      }}
      onKeyDown={(event) => {
        const to = keyedWeight(event.key, weight, scale);
        if (to === null) return;
        event.preventDefault();
        slide(to);
      }}
      onKeyUp={rest}
      onPointerUp={rest}
      onBlur={rest}
    />
  );
}
