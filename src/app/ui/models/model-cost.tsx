/** What a model costs, in plain words: parameters, bytes, memory by part, what runs where, and what would make it faster. */
import type { RunPlan, WeightStorage } from "../../../domain/run/memory-plan.ts";
import type { ModelReport, PlaceReport } from "../../protocol/model-messages.ts";
import type { Text } from "../text/en.ts";
import { useText } from "../text/text-context.ts";
import { bytes, count } from "./amounts.ts";
import { intoView } from "./into-view.ts";
import { MemoryTable } from "./memory-table.tsx";

interface CostProps {
  readonly report: ModelReport;
  readonly storage: WeightStorage;
}

export function ModelCost({ report, storage }: CostProps) {
  const words = useText();
  const text = words.models;
  const plan = report.plans.find((candidate) => candidate.storage === storage);
  const kept = report.keptAs.includes(storage);
  const downloadBytes = kept ? 0 : report.downloadBytes;
  return (
    <section className="set-up-section model-cost" ref={intoView}>
      <h3>
        {report.name} <span className="soft">{words.header.architectures[report.architecture]}</span>
      </h3>
      <p>
        <b>{text.parameters(count(report.parameters))}</b>
        {" · "}
        <b>
          {downloadBytes > 0 ? text.download(bytes(downloadBytes)) : kept ? text.isKept : text.noDownload}
        </b>
        <br />
        <span className="soft">
          {text.shape(report.layers, report.hiddenSize, report.vocabSize.toLocaleString("en"))}
        </span>
      </p>
      <h4>{text.where}</h4>
      <Where report={report} storage={storage} />
      <h4>{text.memory}</h4>
      {plan !== undefined && <MemoryTable plan={plan} />}
      <p className="soft">{text.noStep}</p>
    </section>
  );
}

function Where({ report: { place, plans }, storage }: CostProps) {
  const text = useText().models;
  const engine = plans.find((plan) => plan.storage === storage)?.engine ?? "wasm";
  const said = {
    webgpu: () => text.places.webgpu(place.adapter ?? ""),
    wasm: () => text.places.wasm(place.threads, place.cores),
    kernels: () => text.places.kernels(place.kernelThreads, place.cores),
  }[engine];
  const faster = [...fasterOn(engine, place, text.fasterBy), text.fasterBy.shorter, text.fasterBy.smaller];
  return (
    <>
      <p>
        {said()} {text.held(text.storages[storage])}
      </p>
      <p className="soft">
        {text.faster}: {faster.join("; ")}.
      </p>
    </>
  );
}

/** Half of the cores compute: with fewer that is one thread, isolated or not. */
const CORES_FOR_THREADS = 4;

/** What this machine, or this browser, lacks. */
function fasterOn(
  engine: RunPlan["engine"],
  { adapter, software, isolated, cores }: PlaceReport,
  text: Text["models"]["fasterBy"],
): readonly string[] {
  if (engine === "webgpu") return [];
  const said: string[] = [];
  if (adapter === null) said.push(text.gpu);
  else if (software) said.push(text.softwareGpu(adapter));
  if (!isolated && cores >= CORES_FOR_THREADS) said.push(text.isolation);
  return said;
}
