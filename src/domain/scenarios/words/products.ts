/** What the customers bought: things with a plug or a battery, so that every problem and every warning fits each of them. */
export const products: readonly string[] = (
  "alarm amplifier blender boiler camera charger clock console cooker dishwasher doorbell drill drone dryer " +
  "fan freezer fridge fryer grill grinder headset heater humidifier iron juicer kettle keyboard lamp lantern laptop " +
  "massager microphone microwave mixer monitor mower oven phone printer projector pump purifier radio router sander " +
  "saw scanner scooter sensor shaver speaker steamer stove tablet telephone television thermostat toaster torch " +
  "treadmill trimmer turntable vacuum washer watch"
).split(" ");
