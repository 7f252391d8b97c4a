/** What a row is dragged by, and moved by keys from. Not a button element: Firefox drags none. */
import type { Criterion } from "../../../domain/rubric/schema.ts";
import { useText } from "../text/text-context.ts";
import { useRowDrag } from "./row-drag.ts";

export function MoveHandle({ criterion }: { readonly criterion: Criterion }) {
  const text = useText().rubricEditor;
  const drag = useRowDrag();
  return (
    <span
      role="button"
      tabIndex={0}
      draggable
      className="move-handle"
      data-handle={criterion.id}
      data-tip={text.moveHow}
      aria-label={`${text.move(criterion.text)}. ${text.moveHow}`}
      onDragStart={(event) => {
        drag.begin(criterion.id, event);
      }}
      onDragEnd={drag.end}
      {...drag.pointer(criterion.id)}
      onKeyDown={(event) => {
        if (drag.key(criterion.id, event.key)) event.preventDefault();
      }}
    >
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden fill="currentColor">
        {[4, 8, 12].flatMap((y) => [6, 10].map((x) => <circle key={`${x}-${y}`} cx={x} cy={y} r="1.2" />))}
      </svg>
    </span>
  );
}
