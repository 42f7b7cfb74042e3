import mailfile from '../../mailfile/mailfile.ts';
import { quickWord } from '../quick-word.ts';

export const word = quickWord(mailfile);
