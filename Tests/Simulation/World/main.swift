Run.main()
