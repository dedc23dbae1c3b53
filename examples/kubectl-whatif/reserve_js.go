package main

import (
	"os"
	"runtime"
	"strconv"
)

// The memory of a page grows by a few megabytes at a time, and after each step the browser looks
// for garbage of its own, hundreds of times for a large dump. So the memory is asked for at once:
// the page says in WHATIF_RESERVE how many bytes the program will need.
func init() {
	n, err := strconv.ParseUint(os.Getenv("WHATIF_RESERVE"), 10, 31)
	if err != nil {
		return // not in the page
	}
	reserved := make([]byte, n)
	runtime.KeepAlive(reserved)
	runtime.GC() // hands it to the heap
}
