type Repeat<N extends number, A extends any[] = []> = A["length"] extends N ? A : Repeat<N, [...A, 1]>;
interface Tree<T> { x: T; f(): Tree<T[]> }
const ok: Repeat<200>["length"] = 200, wrong: string = 5;
export class C implements Tree<number> { x = 1; f() { return null as any } }
