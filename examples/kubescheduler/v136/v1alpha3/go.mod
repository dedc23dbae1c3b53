// The API of v1.36 has no package of this path. Files of outrank that import it are not
// compiled there, but go mod tidy looks at the imports of all files, whatever their tags.
module k8s.io/api/scheduling/v1alpha3

go 1.26.0
