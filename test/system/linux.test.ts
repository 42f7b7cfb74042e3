import * as linux from '../../src/base/system/linux/linux.ts';
import { systemContract } from '../../src/base/system/system.contract.ts';

systemContract('Linux', linux);
