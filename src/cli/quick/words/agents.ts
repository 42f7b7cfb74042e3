import agents from '../../agents/agents.ts';
import { quickWord } from '../quick-word.ts';

export const word = quickWord(agents);
