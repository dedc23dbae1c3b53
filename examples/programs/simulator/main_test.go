package main

func Example() {
	main()
	// Output:
	// kube-scheduler: 1145 wait, 896 evicted
	// exact victims: 1157 wait, 887 evicted
	// fewest victims first: 1141 wait, 898 evicted
}
