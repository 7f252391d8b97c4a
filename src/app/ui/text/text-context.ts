/** The language of the page; English until another module stands beside it. */
import { createContext, useContext } from "react";
import { en, type Text } from "./en.ts";

const TextContext = createContext<Text>(en);

/** The interface's texts in the page's language. */
export function useText(): Text {
  return useContext(TextContext);
}
