/** How long the texts of a ticket may be. */
export const LONGEST_TITLE = 200;
export const LONGEST_REQUEST_TEXT = 20_000;
export const LONGEST_KEY = 200;
