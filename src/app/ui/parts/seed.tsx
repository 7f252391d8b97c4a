/** The seeds of a run where there are several: which one is looked at, and what mean and band stand for. */
import { useActions, useApp } from "../app-context.ts";
import { useText } from "../text/text-context.ts";
import { Explained } from "./term.tsx";

/** Chooses the seed whose table, answers and sentence are shown; nothing for a run of one. */
export function SeedSwitch() {
  const text = useText().compare;
  const actions = useActions();
  const seeds = useApp((state) => state.seeds);
  const focus = useApp((state) => state.focusSeed);
  if (seeds.length < 2) return null;
  return (
    <select
      className="seed-switch"
      aria-label={text.focusSeed}
      value={String(focus)}
      onChange={({ target }) => void actions.focusSeed(Number(target.value))}
    >
      {seeds.map((seed) => (
        <option key={seed} value={String(seed)}>
          {text.seedOf(seed)}
        </option>
      ))}
    </select>
  );
}

/** "seed 3" beside what is shown of that seed alone. */
export function OfSeed() {
  const text = useText().compare;
  const several = useApp((state) => state.seeds.length > 1);
  const focus = useApp((state) => state.focusSeed);
  return several && <> · {text.seedOf(focus)}</>;
}

/** The same in parentheses, within a sentence. */
export function InSeed() {
  const text = useText().compare;
  const several = useApp((state) => state.seeds.length > 1);
  const focus = useApp((state) => state.focusSeed);
  return several && <span className="soft">({text.seedOf(focus)}) </span>;
}

/** What a chart's line and band stand for; undefined for one seed. */
export function useBandName(): string | undefined {
  const text = useText().compare;
  const seeds = useApp((state) => state.seeds.length);
  return seeds < 2 ? undefined : text.bandName(seeds);
}

/** The same beside a panel's title, with its meaning on hover. */
export function BandKey() {
  const { bands } = useText().compare;
  const name = useBandName();
  const seeds = useApp((state) => state.seeds.length);
  if (name === undefined) return null;
  return (
    <span className="soft">
      <Explained means={seeds === 2 ? bands.range : bands.interval(seeds)}>{name}</Explained>
    </span>
  );
}
