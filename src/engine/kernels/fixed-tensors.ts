/**
 * Weights and constants in the kernels' memory: one copy of each tensor and of each packed form, shared by all graphs that
 * lease it.
 */
import type { HostTensor } from "../graph/tensor.ts";
import { placeInHeap } from "./held-blocks.ts";
import { elementBytes, type Heap, writeTensor } from "./heap.ts";
import type { Kernels } from "./module.ts";
import { packMatrix } from "./pack-matrix.ts";
import type { FixedTensors } from "./schedule.ts";

type Form = "raw" | "packed" | "packedTransposed";

interface Held {
  readonly address: number;
  /** False where the tensor lies in the heap anyway. */
  readonly own: boolean;
  users: number;
}

export interface FixedTensorStore {
  /** A user's view of the store; `end` gives back all that it asked for. */
  lease(): FixedTensors & { end(): void };
}

export function createFixedTensors(heap: Heap, kernels: Kernels): FixedTensorStore {
  const held = new Map<HostTensor, Map<Form, Held>>();

  const place = (tensor: HostTensor, form: Form): Omit<Held, "users"> => {
    const there = placeInHeap(heap, tensor);
    if (form === "raw" && there !== null) return { address: there, own: false };
    return { address: placeOwn(tensor, form), own: true };
  };
  const placeOwn = (tensor: HostTensor, form: Form): number => {
    if (form === "raw") return placeRaw(heap, tensor);
    const raw = placeRaw(heap, tensor);
    const transposed = form === "packedTransposed";
    const packed = packMatrix(heap, kernels, { dims: tensor.dims, transposed, address: raw });
    heap.free(raw);
    return packed;
  };

  return {
    lease() {
      const mine = new Map<HostTensor, Set<Form>>();
      const take = (tensor: HostTensor, form: Form): number => {
        const forms = held.get(tensor) ?? new Map<Form, Held>();
        held.set(tensor, forms);
        const known = forms.get(form) ?? { ...place(tensor, form), users: 0 };
        forms.set(form, known);
        const own = mine.get(tensor) ?? new Set();
        mine.set(tensor, own);
        if (!own.has(form)) known.users++;
        own.add(form);
        return known.address;
      };
      return {
        raw: (tensor) => take(tensor, "raw"),
        packed: (tensor, transposed) => take(tensor, transposed ? "packedTransposed" : "packed"),
        end() {
          mine.forEach((own, tensor) => {
            own.forEach((form) => {
              giveBack(tensor, form);
            });
          });
          mine.clear();
        },
      };
    },
  };

  function giveBack(tensor: HostTensor, form: Form): void {
    const forms = held.get(tensor);
    const known = forms?.get(form);
    if (forms === undefined || known === undefined || --known.users > 0) return;
    if (known.own) heap.free(known.address);
    forms.delete(form);
    if (forms.size === 0) held.delete(tensor);
  }
}

function placeRaw(heap: Heap, tensor: HostTensor): number {
  const address = heap.allocate(elementBytes(tensor.dtype) * tensor.data.length);
  writeTensor(heap, tensor, address);
  return address;
}
