//go:build unix && !linux

package controlplane

// StartContainer returns ErrContainer.
func StartContainer(string, string, Container) (*Process, error) { return nil, ErrContainer }
