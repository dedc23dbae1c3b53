package main

// The kubelet spares batch for its class. By priority batch would go, and web stay.
func Example() {
	main()
	// Output:
	// AdmittedAfterEvicting: default/web (Burstable)
	//   because it frees 2000 of the 1000 that are short of cpu
	//   event: Warning Preempting default/web: Preempted in order to admit critical pod
	//   kill: default/web
	// AdmittedAfterEvicting: default/batch (Guaranteed)
	//   because it frees 2000 of the 1000 that are short of cpu
}
