/** Whether a judge can be believed: accuracy and Cohen's kappa against the checks or people's labels, by criterion, with n. */
import { useState } from "react";
import { agreementOf, calibrationOf, type Calibration } from "../../../domain/rubric/agreement.ts";
import { readHumanLabels } from "../../../domain/rubric/formats/human-labels.ts";
import type { JudgeSpec } from "../../../domain/run/judge-spec.ts";
import type { Compared } from "../../protocol/judge-messages.ts";
import { useActions, useApp } from "../app-context.ts";
import { number, percent } from "../format.ts";
import { enJudge as text } from "../text/en-judge.ts";
import { AskingButtons } from "./asking-buttons.tsx";
import { useAsking } from "./use-asking.ts";

const SOURCES = ["checks", "labels"] as const;
const SOURCE_WORDS = { checks: text.withChecks, labels: text.withLabels };
const USUAL_ANSWERS = 16;

interface ViewProps {
  readonly judge: JudgeSpec | null;
  readonly onReady: () => Promise<void>;
  /** Takes another threshold on P(yes). */
  readonly onThreshold: (threshold: number) => void;
}

export function AgreementView({ judge, onReady, onThreshold }: ViewProps) {
  const actions = useActions();
  const rubric = useApp((state) => state.rubric);
  const [source, setSource] = useState<(typeof SOURCES)[number]>("checks");
  const [labels, setLabels] = useState("");
  const [most, setMost] = useState(USUAL_ANSWERS);
  const { busy, result, fault, ask } = useAsking<readonly Compared[]>("compareJudge");
  const compare = async (spec: JudgeSpec): Promise<void> => {
    await ask(async () => {
      const read = source === "labels" ? readHumanLabels(labels, rubric, text.withLabels) : null;
      await onReady();
      return actions.compareJudge(spec, read, most);
    });
  };
  return (
    <section className="set-up-section">
      <h3>{text.agreement}</h3>
      <p className="soft">{text.agreementMeans}</p>
      <div className="judge-styles" role="radiogroup" aria-label={text.agreement}>
        {SOURCES.map((kind) => (
          <label key={kind} className="form-check">
            <input
              type="radio"
              name="judge-source"
              checked={source === kind}
              onChange={() => {
                setSource(kind);
              }}
            />
            {SOURCE_WORDS[kind]}
          </label>
        ))}
      </div>
      {source === "checks" ? (
        <label className="form-field judge-most">
          <span>{text.mostAnswers}</span>
          <input
            type="number"
            min={1}
            max={512}
            value={most}
            onChange={({ target }) => {
              setMost(Math.max(1, Math.min(512, Math.round(Number(target.value)) || 1)));
            }}
          />
        </label>
      ) : (
        <Labels labels={labels} onLabels={setLabels} />
      )}
      <AskingButtons
        label={text.compare}
        ready={judge !== null && (source === "checks" || labels.trim() !== "")}
        busy={busy}
        fault={fault}
        onAsk={() => {
          if (judge !== null) void compare(judge);
        }}
      />
      {result !== null && <Agreements compared={result} onThreshold={onThreshold} />}
    </section>
  );
}

function Labels(props: { readonly labels: string; readonly onLabels: (labels: string) => void }) {
  return (
    <>
      <label className="form-field">
        <span>{text.labels}</span>
        <textarea
          rows={5}
          spellCheck={false}
          value={props.labels}
          onChange={({ target }) => {
            props.onLabels(target.value);
          }}
        />
      </label>
      <label className="form-field">
        <span>{text.labelsFile}</span>
        <input
          type="file"
          accept=".csv,.json,.jsonl"
          onChange={({ target }) => {
            void target.files?.[0]?.text().then(props.onLabels);
          }}
        />
      </label>
    </>
  );
}

interface AgreementsProps {
  readonly compared: readonly Compared[];
  readonly onThreshold: (threshold: number) => void;
}

function Agreements({ compared, onThreshold }: AgreementsProps) {
  const criteria = useApp((state) => state.rubric.criteria);
  if (compared.length === 0) return <p role="status">{text.noRollouts}</p>;
  const ids = [...new Set(compared.map(({ criterionId }) => criterionId))];
  const calibration = calibrationOf(compared);
  return (
    <>
      <table className="memory-table judge-agreement" aria-live="polite">
        <thead>
          <tr>
            {[text.criterion, text.n, text.accuracy, text.kappa, text.noVerdict].map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ids.map((id) => (
            <AgreementRow
              key={id}
              name={criteria.find((criterion) => criterion.id === id)?.text ?? id}
              pairs={compared.filter(({ criterionId }) => criterionId === id)}
            />
          ))}
        </tbody>
        <tfoot>
          <AgreementRow name={text.all} pairs={compared} />
        </tfoot>
      </table>
      {calibration !== null && <CalibrationTable calibration={calibration} onThreshold={onThreshold} />}
    </>
  );
}

function AgreementRow({ name, pairs }: { readonly name: string; readonly pairs: readonly Compared[] }) {
  const { n, missing, accuracy, kappa } = agreementOf(pairs);
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{n}</td>
      <td>{percent(accuracy)}</td>
      <td>{number(kappa)}</td>
      <td>{missing}</td>
    </tr>
  );
}

function CalibrationTable(props: {
  readonly calibration: Calibration;
  readonly onThreshold: (threshold: number) => void;
}) {
  const { bins, error, bestThreshold, bestAccuracy } = props.calibration;
  return (
    <>
      <h4>{text.calibration}</h4>
      <table className="memory-table">
        <thead>
          <tr>
            <th scope="col">{text.said}</th>
            <th scope="col">{text.isMet}</th>
            <th scope="col">{text.n}</th>
          </tr>
        </thead>
        <tbody>
          {bins.map(({ from, to, n, met }) => (
            <tr key={from}>
              <th scope="row">{text.range(percent(from), percent(to))}</th>
              <td>{percent(met)}</td>
              <td>{n}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="soft">
        {text.calibrationMeans(number(error), number(bestThreshold), percent(bestAccuracy))}{" "}
        <button
          type="button"
          className="pill small"
          onClick={() => {
            props.onThreshold(Number(bestThreshold.toPrecision(3)));
          }}
        >
          {text.useThreshold(number(bestThreshold))}
        </button>
      </p>
    </>
  );
}
