package main

func Example() {
	main()
	// Output:
	// default/urgent: preempts on a1
	//   victims: default/cheap (priority 1)
	//   as things are: 2 NodeResourcesFit: Insufficient cpu
	// default/urgent: preempts on b1
	//   victims: default/dear (priority 50)
	//   as things are: 2 NodeResourcesFit: Insufficient cpu
	// default/urgent: nothing helps
	//   as things are: 2 NodeResourcesFit: Insufficient cpu
	//   after removal: 2 Rack: node(s) in another rack
}
