import { ls } from '../../ls/ls.ts';
import { quickWord } from '../quick-word.ts';

export const word = quickWord(ls);
