/**
 * The fourth door of mail: what a store needs that is kept elsewhere, by the fleet server: pages, and how words are found.
 */
export { pageOf } from './page.ts';
export type { MailCounts, MailPage, MailStep } from './port.ts';
export { searchableWords, searchPhrases } from './search-terms.ts';
