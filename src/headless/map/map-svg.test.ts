import { describe, expect, it } from "vitest";
import type { MapArm, MapData } from "../../domain/experiment/map-data.ts";
import type { RewardRuleName } from "../../domain/run/spec.ts";
import { mapSvg } from "./map-svg.ts";

function arm(rule: RewardRuleName, score: number, gain: number, median: number | null): MapArm {
  const estimate = (mean: number) => ({ mean, low: null, high: null });
  return {
    arm: rule,
    rule,
    finalScore: estimate(score),
    gain: estimate(gain),
    stepsToBaseline: { median, low: median, high: null, reached: median === null ? 1 : 8, seeds: 8 },
    speedUp: median === null ? null : 60 / median,
  };
}

const CELL = { source: "training", seeds: 8, samples: 200, steps: 60, goalStep: 60 } as const;
const data: MapData = {
  baseline: "static-scalar",
  cells: [
    {
      ...CELL,
      flatWeight: 10,
      judgeNoise: 0.03,
      arms: [
        arm("static-scalar", 0.63, 0.02, 60),
        arm("pow3r", 0.655, 0.045, 24),
        arm("gdpo", 0.6, 0.01, null),
      ],
    },
    {
      ...CELL,
      flatWeight: 1,
      judgeNoise: 0,
      arms: [
        arm("static-scalar", 0.83, 0.29, 60),
        arm("pow3r", 0.83, 0.29, 62),
        arm("gdpo", 0.82, 0.28, 100),
      ],
    },
  ],
};

/** The picture's words, cell after cell, with each cell's colour. */
function cellsOf(svg: string): string[][] {
  return [...svg.matchAll(/<g transform="translate[^>]*>(.*?)<\/g>/gs)].map(([, inside = ""]) => {
    const fill = /<rect[^>]* fill="([^"]*)"/.exec(inside)?.[1] ?? "";
    return [fill, ...[...inside.matchAll(/<text[^>]*>(.*?)<\/text>/g)].map(([, text = ""]) => text)];
  });
}

describe("the map's picture", () => {
  const svg = mapSvg(data);

  it("says in each cell which side it falls to, and what static itself gains", () => {
    const cells = cellsOf(svg);
    // two arms of 2 x 2 cells, of which two were run
    expect(cells.map((cell) => cell[1])).toEqual([
      "0.97× same",
      "not run",
      "not run",
      "2.50× faster",
      "0.60× slower",
      "not run",
      "not run",
      "never",
    ]);
    expect(cells[3]?.slice(2)).toEqual(["never–2.50×, 8 seeds", "score .655 (+.025)", "static only +.020"]);
    expect(cells[7]?.slice(2)).toEqual(["1 of 8 seeds get there", "score .600 (−.030)", "static only +.020"]);
    expect(cells[0]?.slice(3)).toEqual(["score .830 (±.000)", "static gains +.290"]);
    expect(new Set([cells[0], cells[3], cells[7]].map((cell) => cell?.[0])).size).toBe(3);
  });

  it("keeps dark words on pale fields, whatever page it stands on", () => {
    const luminance = (hex: string): number => {
      const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
        const share = parseInt(hex.slice(at, at + 2), 16) / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const fields = [...svg.matchAll(/<rect[^>]* fill="(#[^"]*)"/g)].map(([, fill = ""]) => fill);
    expect(fields.length).toBeGreaterThan(8);
    for (const fill of fields) {
      expect((luminance(fill) + 0.05) / (luminance("#1d1f24") + 0.05), fill).toBeGreaterThan(4.5);
    }
  });

  it("is well-formed where an arm's name is not", () => {
    const [cell] = data.cells;
    const odd = mapSvg({
      ...data,
      cells: [
        {
          ...CELL,
          flatWeight: 1,
          judgeNoise: 0,
          arms: [...(cell?.arms ?? []), { ...arm("pow3r", 1, 1, 1), arm: 'a < "b" & c' }],
        },
      ],
    });
    expect(odd).toContain("a &lt; &quot;b&quot; &amp; c");
  });
});
