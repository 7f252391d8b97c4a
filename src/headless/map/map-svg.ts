/**
 * The map as a picture for the docs: an arm a row, a source a column, and in each a 3 x 3 heat map. It brings its own
 * paper, so that it reads on light and dark pages, and says in words what its colours say. Pure.
 */
import type { MapCell, MapData } from "../../domain/experiment/map-data.ts";
import { LITTLE_GAIN, readCell, type CellReading, type Tone } from "../../domain/experiment/map-reading.ts";
import { rewardRules } from "../../domain/reward/registry.ts";
import type { RewardRuleDef } from "../../domain/reward/reward.ts";
import type { RewardRuleName } from "../../domain/run/spec.ts";

const PAPER = "#fbfaf7";
const INK = "#1d1f24";
const SOFT = "#5d626e";
const LINE = "#d9d6cd";
/** From orange (worse) over grey (the same) to blue (better), Okabe-Ito hues, all pale enough for dark words. */
const FILL: Readonly<Record<Tone, string>> = {
  [-2]: "#f0b27f",
  [-1]: "#f8dcc2",
  0: "#efede6",
  1: "#d6e8f5",
  2: "#a9d0ec",
  3: "#74b5e0",
};

const CELL = { width: 150, height: 78, gap: 4 } as const;
const LEFT = 96;
const TOP = 126;
const BLOCK_GAP = 84;
const ROW_GAP = 58;
const MARGIN = 20;

const SOURCES = {
  simulator: "Simulator: yes-or-no criteria, exact score",
  training: "Real training of the bundled model",
} as const satisfies Record<MapCell["source"], string>;

/** Axes as the cells have them. */
interface Axes {
  readonly noises: readonly number[];
  readonly weights: readonly number[];
  readonly sources: readonly MapCell["source"][];
  readonly arms: readonly string[];
}

/** An SVG document of the whole map. */
export function mapSvg(data: MapData): string {
  const axes = axesOf(data);
  const blockWidth = axes.weights.length * (CELL.width + CELL.gap);
  const blockHeight = axes.noises.length * (CELL.height + CELL.gap);
  const width = LEFT + axes.sources.length * (blockWidth + BLOCK_GAP) - BLOCK_GAP + MARGIN;
  const legendTop = TOP + axes.arms.length * (blockHeight + ROW_GAP) - 20;
  const blocks = axes.arms.flatMap((arm, row) =>
    axes.sources.map((source, column) => {
      const x = LEFT + column * (blockWidth + BLOCK_GAP);
      const y = TOP + row * (blockHeight + ROW_GAP);
      return block(data, axes, { arm, source, x, y });
    }),
  );
  const height = legendTop + 84;
  const baseline = baselineWord(data);
  const title = `When do other rewards beat ${baseline} rewards?`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" fill="${INK}">
<title id="title">${escape(title)} Speed-up and final score over judge noise and weight on flat criteria.</title>
<rect width="${width}" height="${height}" rx="10" fill="${PAPER}"/>
${words(MARGIN, 36, title, { size: 19, weight: 650 })}
${axes.sources.map((source, at) => words(LEFT + at * (blockWidth + BLOCK_GAP), 68, sourceWords(data, source), { size: 13.5, weight: 600 })).join("\n")}
${blocks.join("\n")}
${legend(legendTop, baseline)}
</svg>
`;
}

/** Every value that occurs, arms in the order of the first cell; the baseline itself is not drawn. */
function axesOf({ cells, baseline }: MapData): Axes {
  const rising = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
  const arms = new Set(cells.flatMap((cell) => cell.arms.map(({ arm }) => arm)));
  arms.delete(baseline);
  return {
    noises: rising(cells.map(({ judgeNoise }) => judgeNoise)),
    weights: rising(cells.map(({ flatWeight }) => flatWeight)),
    sources: (["simulator", "training"] as const).filter((name) =>
      cells.some(({ source }) => source === name),
    ),
    arms: [...arms],
  };
}

interface Block {
  readonly arm: string;
  readonly source: MapCell["source"];
  readonly x: number;
  readonly y: number;
}

function block(data: MapData, { noises, weights }: Axes, { arm, source, x, y }: Block): string {
  const heads = weights.map((weight, column) =>
    words(x + column * (CELL.width + CELL.gap) + CELL.width / 2, y - 6, `flat ${weight} : 1`, {
      size: 11.5,
      color: SOFT,
      middle: true,
    }),
  );
  const cells = noises.flatMap((noise, row) =>
    weights.map((weight, column) => {
      const cell = data.cells.find(
        (other) => other.source === source && other.judgeNoise === noise && other.flatWeight === weight,
      );
      const left = x + column * (CELL.width + CELL.gap);
      const top = y + row * (CELL.height + CELL.gap);
      return `<g transform="translate(${left} ${top})">${cell === undefined ? emptyCell() : drawnCell(cell, data, arm)}</g>`;
    }),
  );
  const sides = noises.map((noise, row) =>
    words(x - 6, y + row * (CELL.height + CELL.gap) + CELL.height / 2 + 4, `${percent(noise)} flips`, {
      size: 11.5,
      color: SOFT,
      end: true,
    }),
  );
  const name = words(x, y - 24, armName(data, arm), { size: 14, weight: 650 });
  return [name, ...heads, ...sides, ...cells].join("\n");
}

function emptyCell(): string {
  const edge = `<rect width="${CELL.width}" height="${CELL.height}" rx="6" fill="none" stroke="${LINE}"/>`;
  return (
    edge + words(CELL.width / 2, CELL.height / 2 + 4, "not run", { size: 11.5, color: SOFT, middle: true })
  );
}

function drawnCell(cell: MapCell, data: MapData, arm: string): string {
  const reading = readCell(cell, data.baseline, arm);
  if (reading === null) return emptyCell();
  const { ahead, baselineGain, little, score } = reading;
  const gains = `${baselineWord(data)} ${little ? "only" : "gains"} ${signed(baselineGain)}`;
  const lines = [
    words(10, 22, speedWords(reading), { size: 15, weight: 650 }),
    words(10, 38, intervalWords(reading, cell), { size: 10.5 }),
    words(10, 54, `score ${plain(score)} (${signed(ahead)})`, { size: 11.5 }),
    words(10, 69, gains, { size: 11.5, weight: little ? 650 : 400 }),
  ];
  const fill = FILL[reading.speedTone];
  return `<rect width="${CELL.width}" height="${CELL.height}" rx="6" fill="${fill}"/>${lines.join("")}`;
}

/** The speed-up at both ends of its interval, or how many seeds got there at all. */
function intervalWords({ speedUp, slowest, fastest, reached }: CellReading, { seeds }: MapCell): string {
  if (speedUp === null || fastest === null) return `${reached} of ${seeds} seeds get there`;
  const low = slowest === null ? "never" : slowest.toFixed(2);
  return `${low}\u2013${fastest.toFixed(2)}\u00d7, ${seeds} ${seeds === 1 ? "seed" : "seeds"}`;
}

/** Which side it falls to, in words: colour alone says nothing to some readers. */
function speedWords({ speedUp, speedTone }: CellReading): string {
  if (speedUp === null) return "never";
  const factor = `${speedUp.toFixed(2)}\u00d7`;
  if (speedTone === 0) return `${factor} same`;
  return `${factor} ${speedTone > 0 ? "faster" : "slower"}`;
}

function legend(top: number, baseline: string): string {
  const entries: readonly (readonly [Tone, string])[] = [
    [-2, "never, or under 0.67\u00d7"],
    [-1, "slower, to 0.9\u00d7"],
    [0, "same, 0.9\u20131.1\u00d7"],
    [1, "faster, to 1.5\u00d7"],
    [2, "to 2.5\u00d7"],
    [3, "2.5\u00d7 and more"],
  ];
  const keys = entries.map(([tone, says], at) => {
    const x = MARGIN + at * 172;
    return `<rect x="${x}" y="${top - 16}" width="16" height="16" rx="3" fill="${FILL[tone]}"/>${words(x + 22, top - 4, says, { size: 11.5 })}`;
  });
  const notes = [
    `Speed-up: steps of ${baseline} over the median step at which an arm reaches ${baseline}'s score of the same seed, with a 95 % interval; never: half of the seeds or more do not.`,
    `Score: at the last step, in brackets how far ahead of ${baseline}. Where ${baseline} itself gains only little (under ${plain(LITTLE_GAIN)}), a speed-up is a ratio of little things.`,
    "Flat criteria are met nearly always or nearly never; flips: share of verdicts a noisy judge turns round in training.",
  ];
  return [
    ...keys,
    ...notes.map((note, at) => words(MARGIN, top + 22 + at * 17, note, { size: 12, color: SOFT })),
  ].join("\n");
}

function sourceWords({ cells }: MapData, source: MapCell["source"]): string {
  const samples = cells.find((cell) => cell.source === source)?.samples ?? null;
  return samples === null ? SOURCES[source] : `${SOURCES[source]}, ${samples} held-out answers`;
}

/** An arm that is named after its rule bears the rule's title. */
function armName({ cells }: MapData, arm: string): string {
  const rule = cells.flatMap((cell) => cell.arms).find((other) => other.arm === arm)?.rule;
  return rule === arm ? titleOf(rule) : arm;
}

/** Short, as it stands in sentences. */
function baselineWord(data: MapData): string {
  const name = armName(data, data.baseline);
  return name === titleOf("static-scalar") ? "static" : name;
}

function titleOf(rule: RewardRuleName): string {
  const { title }: RewardRuleDef = rewardRules[rule];
  return title;
}

interface Type {
  readonly size: number;
  readonly weight?: number;
  readonly color?: string;
  readonly middle?: boolean;
  readonly end?: boolean;
}

function words(x: number, y: number, text: string, type: Type): string {
  const anchor = type.middle === true ? "middle" : type.end === true ? "end" : "start";
  const color = type.color === undefined ? "" : ` fill="${type.color}"`;
  return `<text x="${x}" y="${y}" font-size="${type.size}" font-weight="${type.weight ?? 400}" text-anchor="${anchor}"${color}>${escape(text)}</text>`;
}

const plain = (value: number): string => value.toFixed(3).replace(/^0/, "");
const signed = (value: number): string => {
  const size = plain(Math.abs(value));
  return (size === ".000" ? "\u00b1" : value < 0 ? "\u2212" : "+") + size;
};
const percent = (share: number): string => `${Number((100 * share).toPrecision(3))} %`;

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
