/** The fourth entry point of mail: what the fleet server's own store needs, pages and word search. */
export { pageOf } from './page.ts';
export type { MailCounts, MailPage, MailStep } from './port.ts';
export { searchableWords, searchPhrases } from './search-terms.ts';
