/**
 * Small injuries with first-aid facts. Of each fact the key words are what a check looks for (every phrasing holds
 * them); the phrasings are what the corpus writes. Everyday advice only, and no medical product.
 */
export interface Fact {
  readonly key: string;
  readonly phrasings: readonly string[];
}
export interface Injury {
  /** As it follows "I have ...". */
  readonly text: string;
  /** As it follows "First, ...". */
  readonly first: Fact;
  /** As it follows "Then ...". */
  readonly second: Fact;
  /** As it follows "Do not ...". */
  readonly avoid: Fact;
  /** As it follows "See a doctor if ...". */
  readonly sign: Fact;
}

const fact = (key: string, ...phrasings: string[]): Fact => ({ key, phrasings });

export const injuries: readonly Injury[] = [
  {
    text: "a small burn",
    first: fact("cool water", "hold it under cool water", "let cool water run over it"),
    second: fact("clean cloth", "cover it with a clean cloth", "lay a clean cloth over it"),
    avoid: fact("butter", "put butter on it", "rub butter into it"),
    sign: fact("large blisters", "large blisters form", "you see large blisters"),
  },
  {
    text: "a bee sting",
    first: fact("the sting", "scrape out the sting", "take out the sting"),
    second: fact("cold pack", "use a cold pack", "put a cold pack on it"),
    avoid: fact("squeeze", "squeeze it", "squeeze the spot"),
    sign: fact("breathe", "it is hard to breathe", "you cannot breathe well"),
  },
  {
    text: "a clean cut",
    first: fact("press on", "press on it firmly", "press on the wound"),
    second: fact("plaster", "put a plaster on it", "close it with a plaster"),
    avoid: fact("touch", "touch the wound", "touch it with dirty hands"),
    sign: fact("bleeding", "the bleeding goes on", "it keeps bleeding"),
  },
  {
    text: "a dark bruise",
    first: fact("some ice", "put some ice on it", "cool it with some ice"),
    second: fact("up high", "rest it up high", "keep it up high"),
    avoid: fact("massage", "massage it", "massage the spot"),
    sign: fact("numb", "it feels numb", "the skin goes numb"),
  },
  {
    text: "a big blister",
    first: fact("warm soap", "wash it with warm soap", "use warm soap on it"),
    second: fact("soft pad", "protect it with a soft pad", "put a soft pad on it"),
    avoid: fact("pop", "pop it", "pop the blister"),
    sign: fact("pus", "you see pus", "pus comes out"),
  },
  {
    text: "a wood splinter",
    first: fact("tweezers", "pull it out with tweezers", "use clean tweezers"),
    second: fact("rinse", "rinse the spot well", "rinse it with water"),
    avoid: fact("dig", "dig with a needle", "dig in the skin"),
    sign: fact("stuck", "a piece stays stuck", "it is stuck deep"),
  },
  {
    text: "a red rash",
    first: fact("damp towel", "lay a damp towel on it", "cool it with a damp towel"),
    second: fact("plain cream", "use a plain cream", "rub in a plain cream"),
    avoid: fact("scratch", "scratch it", "scratch the skin"),
    sign: fact("spreads", "it spreads fast", "the rash spreads"),
  },
  {
    text: "a bad cramp",
    first: fact("stretch", "stretch it slowly", "stretch the muscle"),
    second: fact("drink", "drink some water", "drink a full glass"),
    avoid: fact("run", "run on it", "run or jump"),
    sign: fact("every night", "it comes every night", "you feel it every night"),
  },
  {
    text: "an insect bite",
    first: fact("mild soap", "wash it with mild soap", "clean it with mild soap"),
    second: fact("cold spoon", "press a cold spoon on it", "hold a cold spoon there"),
    avoid: fact("pick", "pick at it", "pick the scab"),
    sign: fact("fever", "you get a fever", "a fever starts"),
  },
  {
    text: "a mild sprain",
    first: fact("rest it", "rest it for a day", "sit down and rest it"),
    second: fact("bandage", "wrap a bandage around it", "use a firm bandage"),
    avoid: fact("heat", "use heat on it", "put heat on it"),
    sign: fact("weight", "it takes no weight", "you cannot put weight on it"),
  },
  {
    text: "an open scrape",
    first: fact("tap water", "rinse it with tap water", "clean it with tap water"),
    second: fact("dry gauze", "cover it with dry gauze", "put dry gauze on it"),
    avoid: fact("blow", "blow on it", "blow dirt away"),
    sign: fact("dirt", "dirt stays inside", "you still see dirt"),
  },
  {
    text: "a sore muscle",
    first: fact("warm bath", "take a warm bath", "relax in a warm bath"),
    second: fact("gentle walk", "go for a gentle walk", "take a gentle walk"),
    avoid: fact("lift", "lift heavy things", "lift anything heavy"),
    sign: fact("two weeks", "it lasts two weeks", "it hurts for two weeks"),
  },
];

export const bodyParts: readonly string[] =
  "ankle arm calf cheek chin elbow finger foot hand heel hip knee leg neck shin shoulder sole thigh thumb toe wrist".split(
    " ",
  );
