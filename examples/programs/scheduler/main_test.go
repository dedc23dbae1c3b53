package main

func Example() {
	main()
	// Output:
	// preempt on a1 by lost work map[lost work:30]
	//   evict default/notebook by the rule: guests make way
	//   not on a2 because of Licences: no licence left in the rack
	// licences held in rack a: 2
}
