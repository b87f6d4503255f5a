/**
 * What a respondent answered, by question id: text → string; multiple_choice → option id; checkbox → option ids;
 * matrix → row id → column title; ranking → option id → rank from 1. An option that has no id ("other: …") is its text.
 * Answers that arrived before their campaign are kept as they came, so readers can't rely on the shape.
 */
export type Answers = Readonly<Record<string, unknown>>;

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
