// Package apart stands for a module of its own.
package apart

import "lib"

func use() { lib.Selected(lib.Options{}) }
