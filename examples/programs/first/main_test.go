package main

func Example() {
	main()
	// Output:
	// preempt n1 [default/batch]
}
