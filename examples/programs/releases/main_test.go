package main

func Example() {
	main()
	// Output:
	// v1.36 n2 [default/cache default/queue] violations: 1
	// v1.37 n1 [default/front default/back] violations: 1
}
