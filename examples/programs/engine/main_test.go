package main

func Example() {
	main()
	// Output:
	// preempt n1 [default/batch]
	// then 1 runs there, and urgent is on its way
	// undone: 2 run there
}
