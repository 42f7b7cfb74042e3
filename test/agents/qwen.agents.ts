import { describeStartedAgain } from './again-suite.ts';
import { describeDenied } from './deny-suite.ts';
import { describeHeadless } from './headless-suite.ts';
import { REAL_TOOLS } from './support/real-tools.ts';
import { describeTool } from './tool-suite.ts';
import { describeWakes } from './wake-suite.ts';

describeTool(REAL_TOOLS.qwen);
describeWakes(REAL_TOOLS.qwen);
describeHeadless(REAL_TOOLS.qwen);
describeDenied(REAL_TOOLS.qwen);
describeStartedAgain(REAL_TOOLS.qwen);
