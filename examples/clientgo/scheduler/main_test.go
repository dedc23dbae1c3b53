package main

func Example() {
	main()
	// Output:
	// default/urgent waits for [default/batch] to leave n1
	// default/urgent is bound to n1
}
