/** How long the texts of a ticket may be. */
export const MAX_TITLE_LENGTH = 200;
export const MAX_REQUEST_TEXT_LENGTH = 20_000;
export const MAX_KEY_LENGTH = 200;
