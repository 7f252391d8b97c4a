/**
 * The first names that the bundled model has met. A name outside this list is hardly ever copied by a model of this
 * size, so the page offers these; each is one token with its leading space.
 */
export const names: readonly string[] = (
  "Aaron Abena Adele Ahmed Aisha Akira Alba Alina Amara Amit Anders Anika Anton Arjun Asha Astrid Aylin Beatriz " +
  "Bence Benno Bianca Bjorn Bruno Camila Carla Carlos Cedric Chidi Chloe Clara Dalia Daniel Davide Deepa Diego " +
  "Dilara Dmitri Edith Efua Elena Elif Emeka Emil Enzo Erika Esther Fatima Felix Fiona Flora Franz Gita Goran " +
  "Greta Hana Hassan Helga Hugo Ibrahim Ida Ilse Imani Ines Ingrid Irina Isaac Ivan Jamal Jana Javier Jonas Julia " +
  "Kaito Kamala Karim Katya Keiko Kofi Lars Layla Leila Leon Linus Luca Lucia Mabel Magnus Malik Marta Matteo Maya " +
  "Mehmet Mina Miriam Mohan Nadia Naoki Nia Nils Nora Olga Omar Oscar Paolo Pavel Petra Priya Rafael Rahul Ravi " +
  "Rita Rosa Ruben Sakura Samir Sana Selma Silvia Simon Sofia Stefan Sunita Sven Tariq Tomas Uma Viktor Yara Yusuf Zara"
).split(" ");
