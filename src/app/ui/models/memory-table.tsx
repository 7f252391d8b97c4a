/** Memory by part on graphics chip and processor, whether it fits, and what would take less. */
import type { RunPlan } from "../../../domain/run/memory-plan.ts";
import { useText } from "../text/text-context.ts";
import { Explained } from "../parts/term.tsx";
import { bytes } from "./amounts.ts";

export function MemoryTable({ plan }: { readonly plan: RunPlan }) {
  const text = useText().models;
  const onGpu = plan.gpuBytes > 0;
  const amount = (value: number): string => (value === 0 ? "–" : bytes(value));
  return (
    <>
      <table className="memory-table">
        <thead>
          <tr>
            <th scope="col">{text.part}</th>
            {onGpu && <th scope="col">{text.onGpu}</th>}
            <th scope="col">{text.onCpu}</th>
          </tr>
        </thead>
        <tbody>
          {plan.parts.map((part) => (
            <tr key={part.name}>
              <th scope="row">
                <Explained means={text.partMeans[part.name]}>{text.parts[part.name]}</Explained>
              </th>
              {onGpu && <td>{amount(part.gpuBytes)}</td>}
              <td>{amount(part.cpuBytes)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{text.total}</th>
            {onGpu && <td>{bytes(plan.gpuBytes)}</td>}
            <td>{bytes(plan.cpuBytes)}</td>
          </tr>
        </tfoot>
      </table>
      <p className="soft">
        {[
          text.estimate,
          text.update[plan.update],
          text.micro(plan.microBatch),
          ...(plan.chunkRows === null
            ? []
            : [text.chunks[onGpu ? "gpu" : "cpu"](plan.chunkRows.toLocaleString("en"))]),
        ].join(" ")}
      </p>
      <p className={plan.fits ? "" : "form-problem"}>
        {plan.limit === null ? text.fits : text.tooBig[plan.limit]}
      </p>
      {!plan.fits && <Changes plan={plan} />}
    </>
  );
}

function Changes({ plan }: { readonly plan: RunPlan }) {
  const text = useText().models;
  if (plan.changes.length === 0) return null;
  return (
    <>
      <p>{text.changes}</p>
      <ul className="model-changes">
        {plan.changes.map(({ setting, to, savesBytes }) => (
          <li key={setting}>
            {text.change(setting, typeof to === "number" ? String(to) : text.storages[to], bytes(savesBytes))}
          </li>
        ))}
      </ul>
    </>
  );
}
