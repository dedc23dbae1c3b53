package main

func Example() {
	main()
	// Output:
	// preempt [default/train-0 on a1 default/train-1 on b1]
	//   evict default/low-b1 on b1 - it keeps out train-1 - NodeResourcesFit: Insufficient cpu
	//   evict default/low-a1 on a1 - it keeps out train-0 - NodeResourcesFit: Insufficient cpu
	// preempt [default/train-0 on b1 default/train-1 on b2]
	//   evict default/low-b2 on b2 - it keeps out train-1 - NodeResourcesFit: Insufficient cpu
	//   evict default/low-b1 on b1 - it keeps out train-0 - NodeResourcesFit: Insufficient cpu
}
