/** A rule between fields that a value breaks. Schemas turn it into an issue; the path names the field to change. */
export interface FieldProblem {
  path: (string | number)[];
  message: string;
  /** What to do about it, if the message does not say so. */
  hint?: string;
}
