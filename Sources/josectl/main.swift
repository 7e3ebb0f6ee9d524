print("josectl")
