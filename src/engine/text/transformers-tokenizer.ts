/** What is used of transformers.js, named one by one so that a build can leave the rest of the library out. */
export { env, PreTrainedTokenizer } from "@huggingface/transformers";
