/** Messages of customers: name, product, order number and problem, in several forms. The corpus and the scenarios draw from here. */
import type { Rng } from "../../base/rng.ts";
import { fill, pick, splitOf } from "./grammar.ts";
import type { Message, Split } from "./grammar.ts";
import { names } from "./words/names.ts";
import { problems } from "./words/problems.ts";
import { products } from "./words/products.ts";

/** A name never opens a message: there it would be another token than inside the reply. */
export const customerTemplates: readonly string[] = [
  "Hi, {name} here: the {product} (order #{order}) {problem}. Please help.",
  "This is {name}. My {product} {problem}, order #{order}. What now?",
  "Order #{order}: my {product} {problem}. Thanks, {name}",
  "Hello, I am {name}. The {product} from order #{order} {problem}.",
  "My {product} {problem}. The order is #{order}. Regards, {name}",
  "I am {name} and my {product} {problem}. Order #{order}.",
  "Good morning, my name is {name}. My {product} {problem}: order #{order}.",
  "What can I do? The {product} of order #{order} {problem}. Thank you, {name}",
];

/** Five different digits, the first not 0: a repeated digit is ambiguous to a model that copies by the digit before. */
export function drawOrder(rng: Rng, split: Split): string {
  for (;;) {
    const order = String(10_000 + rng.below(90_000));
    if (new Set(order).size === 5 && splitOf(Number(order)) === split) return order;
  }
}

export function drawCustomerMessage(rng: Rng, split: Split): Message {
  const problem = pick(problems, rng);
  const fields = {
    name: pick(names, rng),
    product: pick(products, rng),
    order: drawOrder(rng, split),
    problem: problem.text,
    cause: problem.cause,
  };
  return { text: fill(pick(customerTemplates, rng), fields), fields };
}
