/** The time that a report is about. */
export interface DaySpan {
  fromUtc: string;
  toUtc: string;
}
