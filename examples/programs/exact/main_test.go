package main

func Example() {
	main()
	// Output:
	// kube-scheduler [default/p1 default/p2 default/p3 default/p4] violations: 0
	// the fewest there can be [default/p0] violations: 1
	//   the best for certain: true
	// the fewest within budgets [default/p1 default/p2 default/p3 default/p4] violations: 0
	//   the best for certain: true
}
